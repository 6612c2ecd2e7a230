/**
 * The code that Pulumi stores with each webhook, as its inputs' and its outputs' `__provider`, and runs for every step
 * on it: it forwards to this package's provider, which Node finds from the program's directory.
 *
 * It is what `dynamic.Resource` would store, without its serializer. A serialized provider has kilobytes, differs by
 * release, by loader and by module system, and each difference would show as an update of every webhook; the engine's
 * time grows with each byte of state. This text never changes, so an upgrade of the package changes no state, and old
 * state runs on the new code.
 *
 * It is a contract: `pulumi-webhooks/provider` has to export `provider` for as long as there are stacks.
 */
export const storedProvider = 'exports.handler = () => require("pulumi-webhooks/provider").provider';
