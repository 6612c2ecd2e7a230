/**
 * The code that Pulumi stores with each webhook, as `__provider` in its inputs and outputs, and runs for each operation
 * on it. It forwards to this package's provider, which Node resolves from the program's directory.
 *
 * It is what `dynamic.Resource` would store, but without its serializer. A serialized provider has kilobytes, and differs
 * by release, loader and module system. Each difference would show as an update of every webhook, and the engine's time
 * grows with the bytes of state. This text never changes: an upgrade of the package changes no state, and old state runs
 * on the new code.
 *
 * It is a contract: `pulumi-webhooks/provider` must export `provider` for as long as there are stacks.
 */
export const storedProvider = 'exports.handler = () => require("pulumi-webhooks/provider").provider';
