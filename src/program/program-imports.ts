import type { Holder } from "../stack/recorded-facts.js";

/** The imports that one run of a program has declared. Provider processes do not know what others import. */
export class ProgramImports<Importer extends Pick<Holder, "urn">> {
  readonly #byId = new Map<string, Importer[]>();

  /** Notes the import of a webhook. @returns the other resources that import one with the same id. */
  add(id: string, importer: Importer): readonly Importer[] {
    const others = (this.#byId.get(id) ?? []).filter(({ urn }) => urn !== importer.urn);
    this.#byId.set(id, [...others, importer]);
    return others;
  }
}
