import type { RecordedError } from "../lifecycle/run.js";
import { Any, type Grpc, grpc, messages, Status } from "../pulumi/sdk-internals.js";
import { messageOf } from "../wording/errors.js";
import type { toStruct } from "./struct.js";

const { Metadata, status } = grpc;

/** Returns the error of a call as gRPC sends it: the message alone, without a stack trace. */
export function toGrpcError(error: unknown): Partial<Grpc.StatusObject> {
  return { code: status.UNKNOWN, details: messageOf(error) };
}

/** The error with which the engine records a webhook, as failed, under the id and with the outputs of the error. */
export class InitFailure extends Error {
  /** How gRPC sends it. */
  readonly status: Partial<Grpc.StatusObject>;

  constructor(error: RecordedError, outputs: ReturnType<typeof toStruct>) {
    super(error.message);
    const failure = new messages.ErrorResourceInitFailed()
      .setId(error.id)
      .setProperties(outputs)
      .setReasonsList([error.message]);
    const detail = new Any();
    detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const sent = new Status().setCode(status.UNKNOWN).setMessage(error.message);
    sent.addDetails(detail);
    const metadata = new Metadata();
    metadata.add("grpc-status-details-bin", Buffer.from(sent.serializeBinary()));
    this.status = { ...toGrpcError(error), metadata };
  }
}
