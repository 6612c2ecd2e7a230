import { BlockList, isIP } from "node:net";

/** Reports whether a host is an address in a range of NO_PROXY, such as `10.0.0.0/8`: undici compares names only. */
export function isInRange(hostname: string, noProxy: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  const ranges = new BlockList();
  for (const entry of noProxy.split(/[\s,]+/)) {
    const [net = "", prefix = ""] = entry.split("/");
    const bits = isIP(net) === 6 ? 128 : 32;
    if (isIP(net) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
      ranges.addSubnet(net, Number(prefix), familyOf(net));
  }
  return isIP(address) !== 0 && ranges.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
