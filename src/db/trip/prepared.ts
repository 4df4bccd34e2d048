import pg from 'pg';

/** A column of an answer, under its name in code, with the parser of its type. */
type Column = { name: string; parse(text: string): unknown };

/** A statement of a connection; `columns` is null until the server has described them. */
export type Prepared = { name: string; columns: Column[] | null };

export type Described = readonly { name: string; dataTypeID: number }[];

/** Of one connection. A parse and plan costs ten executions (embedded engine: 100 µs to 10 µs). */
const MAX_PREPARED = 400;
/** A text with more parameters is one of many lengths of a list and would only push others out. */
const MAX_PARAMETERS = 64;

/** The statements that a connection has prepared, the least recently used first. */
export class PreparedStatements {
  readonly #byText = new Map<string, Prepared>();
  #unused: string[] = [];
  #made = 0;

  /** The statement for a text; `isNew` when it has to be parsed. */
  of(text: string, parameters: number): { statement: Prepared; isNew: boolean } {
    if (parameters > MAX_PARAMETERS) return { statement: { name: '', columns: null }, isNew: true };
    const known = this.#byText.get(text);
    const statement = known ?? { name: `t${++this.#made}`, columns: null };
    this.#byText.delete(text);
    this.#byText.set(text, statement);
    const [oldest] = this.#byText.size > MAX_PREPARED ? this.#byText.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
    return { statement, isNew: known === undefined };
  }

  /** Whether the server has described a statement of this text, so that it exists there. */
  isAnswered(text: string): boolean {
    return Boolean(this.#byText.get(text)?.columns);
  }

  /** Drops a statement: it may not exist on the server, or no longer fit the tables. */
  forget(text: string): void {
    const known = this.#byText.get(text);
    if (!known) return;
    this.#byText.delete(text);
    this.#unused.push(known.name);
  }

  /** Names to close on the server, once each; closing one that does not exist is no error. */
  takeUnused(): string[] {
    const unused = this.#unused;
    this.#unused = [];
    return unused;
  }
}

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

export const columnsOf = (fields: Described): Column[] =>
  fields.map(({ name, dataTypeID }) => ({
    name: camelCase(name),
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- types beyond the listed are text
    parse: pg.types.getTypeParser(dataTypeID, 'text'),
  }));
