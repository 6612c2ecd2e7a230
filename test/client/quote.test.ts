import fc from "fast-check";
import { expect, it } from "vitest";
import { quote } from "../../src/client/quote.js";

it.each([
  "Your endpoint did not answer with 200",
  "url: must be reachable",
  "Name has already been taken.",
  "The URL must be HTTPS, and the API's id is 4711; e-mail us (or don't).",
  "'name' can't be blank, and must have between 1 and 64 characters: 90% of 10 webhooks!",
  "Die URL ist nicht erreichbar: Der API-Schlüssel „geheim“ fehlt.",
  "L'URL n'est pas valide : l’hôte est introuvable.",
  "¿El nombre «Pedidos» ya está en uso?",
  "Не удалось связаться с вашим сервером",
  "您的端点没有返回200，请检查URL。".normalize("NFKC"),
  "名前はすでに使用されています。URLは必須です",
  "웹훅 이름이 이미 사용 중입니다",
  "ชื่อนี้ถูกใช้แล้ว",
  "नाम पहले से लिया गया है",
  "الاسم مستخدم بالفعل",
  "The header X-Account-Id is required, and Content-Type must be application/json",
  "`callback_url` (or callbackUrl) must start with http:// or https://",
  "INVALID_URL: url-not-reachable",
  "The taxType must fit the UnitPrice",
  "It must NOT have additional properties, the field [read_timeout] is bad, and reply with a 2xx status",
  "config.allow is required, the field target_host is missing, and operation spec(s) with DNS or TLS",
  "items[0].unit_price is invalid: the VAT id, a CIDR range, GST/HST, IPv6 and TLS 1.2 (e.g. at least 2,048)",
  "retry_mode: invalid value for `urlToPublishTo`, body/targetMode is not a text; start with https://.",
  "Key: 'CreateHook.URL' failed at 'endpoint.host': \"retry_mode\" must be >= 1, ('max_wait' was unexpected)",
])("shows a usual reason as it is: %s", (reason) => {
  expect(quote(reason, ["key-canary-0815", "aGVsbG8gd29ybGQ"])).toBe(reason);
});

it.each([
  ["a url", "https://example.com/hooks"],
  ["a host", "api.example.com"],
  ["an id", "10815"],
  ["a word with digits", "sha256"],
  ["capitals inside", "aBcDefgH"],
  ["capitals", "ORDERS"],
  ["more than 20 letters", "abcdefghijklmnopqrstu"],
  ["five words with hyphens", "a-correct-horse-battery-staple"],
  ["letters with hyphens", "s-e-c-r-e-t"],
  ["an escape", "isn&#039;t"],
  ["an underscore", "some_word"],
  ["a key with an underscore", "whsec_correcthorse"],
  ["a license key", "field [ABCD-EFGH-IJKL]"],
  ["random letters", "parameter 'JgWpLluLpBfp'"],
  ["a host in quotes", "property 'api.example.com'"],
  ["an emoji", "🎉"],
  ["a row of numbers", "4711 0815 4711"],
  ["a row of letters", "s e c r e t"],
])("hides %s", (_what, text) => {
  expect(quote(`You sent ${text} which is wrong.`, [])).toMatch(
    /^You sent (?:4711 |s |field |parameter |property )?… which is wrong\.$/,
  );
});

it.each([
  ["correct-horse", "It is Correct.", "It is …"],
  ["correct horse battery staple", "You sent correct horse: battery", "You sent …"],
  ["correct horse battery staple", "cor rec tho rse ba", "…"],
  ["https://user:geheimw%C3%B6rter@example.com/%68idden", "No geheimwörter or hidden", "No … or …"],
  ["whsec-hook-12345678", "The webhook secret is short", "The webhook secret is short"],
  ["whsec-hook-12345678", "It is whsec-hook", "It is …"],
  ["Acme Merger", "An acme, or a merg", "An … or a …"],
  ["Acme", "The name acmes is taken", "The name … is taken"],
  ["crane", "The webhook secret Crane is short", "The webhook secret … is short"],
  ["4711", "It is 4711, not 471", "It is … not 471"],
  ["a", "You sent a pear", "You sent … pear"],
  ["secret", "The secret is short", "The secret is short"],
  ["motdepasse", "It is motdepassé", "It is …"],
  ["motdepassé", "It is MOTDEPASSE", "It is …"],
  ["correct-horse", "It is correct_url", "It is …"],
  ["$$", "It is $$ or -", "It is … or -"],
  ["https://shop-eu:tiger@eo.example.net/my/path", "User shop-eu, password tiger", "User … password …"],
])("hides of the known secret %j what is a part of it: %j", (secret, text, shown) => {
  expect(quote(text, [secret])).toBe(shown);
});

it("shows one line without control characters, of at most 300 characters", () => {
  expect(quote("ab\u001b[31m\r\nwo\u202erd\u200bs", [])).toBe("ab … wo rd s");
  expect(quote("word ".repeat(60), [])).toBe("word ".repeat(60).trim());
  expect(quote("word ".repeat(61), [])).toBe(`${"word ".repeat(60)}…`);
  expect(quote("𐐨".repeat(400), [])).toBe("…");
});

/** Ways to write a secret, of which the code knows none. */
const ENCODINGS: Record<string, (secret: string) => string> = {
  "as it is": (text) => text,
  percent: (text) => encodeURIComponent(text),
  base64: (text) => Buffer.from(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  "a dump": (text) => Buffer.from(text).toString("hex").replace(/../g, "$& "),
  decimal: (text) => Buffer.from(text).join(" "),
  backwards: (text) => [...text].reverse().join(""),
  "full width": (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  spelled: (text) => [...text].join(" "),
  "spelled with hyphens": (text) => [...text].join("-"),
  "between invisible characters": (text) => [...text].join("\u200b"),
  masked: (text) => `${text.slice(0, -4)}****`,
};

const characters = (set: string) => (least: number) =>
  fc.array(fc.constantFrom(...set), { minLength: least, maxLength: 64 }).map((list) => list.join(""));
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Secrets as generators make them. */
const GENERATED = fc.oneof(
  characters("0123456789abcdef")(24),
  characters(`${LETTERS}${LETTERS.toUpperCase()}0123456789-_`)(24),
  characters(`${LETTERS.toUpperCase()}234567`)(16),
  characters("0123456789")(6),
  fc.uuid(),
  characters(LETTERS)(8).map((text) => `whsec_${text}`),
  fc.array(fc.constantFrom("correct", "horse", "battery"), { minLength: 5 }).map((words) => words.join("-")),
);

it("hides a secret that nobody knows, however it is written", () => {
  fc.assert(
    fc.property(GENERATED, fc.constantFrom(...Object.keys(ENCODINGS)), (secret, how) => {
      const shown = quote(`You sent ${ENCODINGS[how]?.(secret)} which is wrong.`, []);
      const [, between = "all"] = /^You sent (.*) which is wrong\.$/.exec(shown) ?? [];
      expect(between.replace(/[^\p{L}\p{N}]/gu, "").length).toBeLessThanOrEqual(3);
    }),
    { numRuns: 1000 },
  );
});

it("hides a known secret of words, however it is taken apart", () => {
  const word = fc.oneof(
    characters(LETTERS)(1).map((text) => text.slice(0, 12)),
    fc.constantFrom("name", "the", "of"),
  );
  const separator = fc.constantFrom(" ", "-", "_", "/", ". ", ": ", "\u200b", "");
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 3 }),
      separator,
      fc.infiniteStream(separator),
      (words, by, others) => {
        const secret = words.join(by);
        const letters = words.join("");
        fc.pre(letters.length >= 8);
        const apart = [...secret].map((one) => `${one}${others.next().value}`).join("");
        for (const text of [secret, secret.toUpperCase(), apart, words.join(" "), words.join(", ")]) {
          const shown = quote(`We got ${text}`, [secret, "key-canary"]).replace("We got", "");
          expect(shown.replace(/[^a-z…]/gi, "").toLowerCase()).not.toContain(letters);
          for (const part of shown
            .split(/[^a-z]+/i)
            .filter((part) => part.length > 3 && !/^name$/i.test(part)))
            expect(letters).not.toContain(part.toLowerCase());
        }
      },
    ),
  );
});
