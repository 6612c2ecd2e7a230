import type { Declared } from "../stack/hidden-properties.js";
import type { Past } from "../stack/past.js";
import { toNamed } from "../stack/shown-name.js";
import { checkInputs, isSecretFromTransform, UNKNOWN } from "./inputs.js";
import * as changes from "./messages/changes.js";
import * as imports from "./messages/imports.js";
import type { Properties } from "./run.js";
import type { Session } from "./session.js";

/** What check receives. */
export interface CheckRequest {
  /** What the program says of the resource, if it comes from this version of the package. */
  declared: Declared | undefined;
  /** The recorded inputs; none if the engine is going to create: a new webhook, or the replacement of one. */
  olds: Properties;
  news: Properties;
}

/** The inputs with their defaults, and all problems at once, a sentence each. */
export interface Checked {
  inputs: Properties;
  problems: string[];
}

/**
 * Checks inputs and settings, and fills in defaults.
 *
 * With `ignoreChanges` the engine copies recorded inputs, and so the marks of drift, which are dropped.
 */
export async function check(session: Session, { declared, olds, news }: CheckRequest): Promise<Checked> {
  const { changedOutsidePulumi, notFound, ...given } = news;
  const { run, notes, settings } = session;
  const resource = run.of(declared?.key);
  const isImporting = resource.engineImportId !== undefined;
  const withName = declared?.defaultName === undefined ? given : { name: declared.defaultName, ...given };
  // The command `pulumi import` passes no inputs.
  const { inputs, problems } =
    isImporting && Object.keys(olds).length === 0 && !("url" in given)
      ? { inputs: {}, problems: [] }
      : checkInputs(withName, declared?.given);
  if (isSecretFromTransform(olds, given)) {
    await session.log.warn(changes.secretFromTransformWarning(toNamed(inputs)));
  }
  const past: Past = declared?.past ?? { kind: "new" };
  // The engine records no inputs of a webhook that it imports.
  const isRecordedImport = past.kind === "unconfirmed" && past.by === "import";
  const isCreate = Object.keys(olds).length === 0 && !isImporting && !isRecordedImport;
  const hasImport = "import" in inputs && inputs.import !== UNKNOWN;
  const importer = hasImport ? run.importerOf(String(inputs.import)) : undefined;
  // A create of this run may have got the id of a webhook that another resource has.
  const provider = "guide" in settings ? settings.guide.provider : undefined;
  const isKept = past.kind === "known" && !isCreate && past.provider === provider;
  const keptId = isKept ? past.id : undefined;
  const owner = keptId === undefined ? undefined : run.ownerOf(keptId);
  const other = [importer, owner].find((one) => one !== undefined && one !== resource);
  run.approve(resource, declared, { inputs, isCreate, keptId });
  if (declared?.notePlace !== undefined) {
    const { folder } = declared.notePlace;
    if (declared.gate !== undefined) notes.holdDeletes(folder);
    else if (isCreate) notes.open(folder, past.kind !== "unread");
  }
  if ("problems" in settings) return { inputs, problems: [...problems, ...settings.problems] };
  const problem =
    other === undefined
      ? findConflict({ past, inputs, isCreate, provider, holder: declared?.holder })
      : imports.twoOwnersProblem(other.approved?.inputs);
  return { inputs, problems: problem === undefined ? problems : [...problems, problem] };
}

interface Question {
  past: Past;
  inputs: Properties;
  isCreate: boolean;
  /** The explicit Provider of the process. */
  provider: string | undefined;
  /** The URN of another resource of the Provider that has the webhook to import. */
  holder: string | undefined;
}

/** Finds why a webhook cannot be declared like this, as the state shows it. @returns a problem, as a sentence. */
export function findConflict({ past, inputs, isCreate, provider, holder }: Question): string | undefined {
  if (past.kind === "known" || past.kind === "unconfirmed") {
    const { id, provider: from } = past;
    const webhook = toNamed(inputs);
    const moves = from !== provider;
    if (past.kind === "unconfirmed") {
      if (moves) return changes.movedUnconfirmedProblem({ id, webhook, provider: from });
      if (isCreate) return changes.replacedUnconfirmedProblem({ id, webhook });
    } else if (isCreate && moves && !past.isDeleted) return changes.movedReplacementProblem(webhook, from);
    if (isCreate && inputs.import === id) return imports.REPLACED_WITH_IMPORT;
  }
  const importsHeld = isCreate && "import" in inputs && holder !== undefined;
  return importsHeld ? imports.heldProblem(String(inputs.import), holder) : undefined;
}
