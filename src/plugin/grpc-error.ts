import { RecordedError } from "../lifecycle/run.js";
import type { Properties } from "../lifecycle/values.js";
import { Any, type Grpc, grpc, messages, Status, type StructPb } from "../pulumi/sdk-internals.js";
import { messageOf } from "../wording/errors.js";

const { Metadata, status } = grpc;

/**
 * Returns the error of a call as gRPC sends it: the message alone, without a stack trace. The engine records the webhook of a
 * RecordedError, as failed, under the id and with the outputs of the error.
 */
export function toGrpcError(
  error: unknown,
  toStruct: (outputs: Properties) => StructPb.Struct,
): Partial<Grpc.StatusObject> {
  const sent = { code: status.UNKNOWN, details: messageOf(error) };
  if (!(error instanceof RecordedError)) return sent;
  const failure = new messages.ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(toStruct(error.outputs))
    .setReasonsList([error.message]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const extended = new Status().setCode(sent.code).setMessage(sent.details);
  extended.addDetails(detail);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(extended.serializeBinary()));
  return { ...sent, metadata };
}
