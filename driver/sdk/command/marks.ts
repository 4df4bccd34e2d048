import { z } from 'zod';

/** Mark of a command: enough to answer it after a crash. */
export type Mark = { commandId: string; tenantId: string; at: number };
/** A command that no device has seen: it waits for its device. */
export type Parked = Mark & { work: unknown };

const Line = z.union([
  z.object({ started: z.string(), tenantId: z.string(), at: z.number() }),
  z.object({ finished: z.string() }),
  z.object({ parked: z.string(), tenantId: z.string(), at: z.number(), work: z.unknown() }),
]);

const MAX_MARKS = 50_000;

/** What is known of commands: which wait, run or ended, as the lines of a file have it and since. */
export class Marks {
  readonly #started = new Map<string, Mark>();
  readonly #finished = new Map<string, Mark>();
  readonly #parked = new Map<string, Parked>();
  readonly #orphanIds: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #keepMs: number;
  /** As the lines had them. */
  readonly orphans: readonly Mark[];
  readonly parkedBefore: readonly Parked[];

  /** Lines that are none are ignored. */
  constructor(text: string, now: () => number, keepMs: number) {
    this.#now = now;
    this.#keepMs = keepMs;
    for (const line of text.split('\n')) this.#apply(line);
    this.parkedBefore = [...this.#parked.values()];
    this.orphans = [...this.#started.values()];
    this.#orphanIds = new Set(this.#started.keys());
  }

  /**
   * `parked`: waits for its device; `running`: started by this process; `interrupted`: started by an earlier one and
   * not finished.
   */
  state(id: string): 'new' | 'parked' | 'running' | 'interrupted' | 'finished' {
    if (this.#parked.has(id)) return 'parked';
    if (this.#started.has(id)) return this.#orphanIds.has(id) ? 'interrupted' : 'running';
    return this.#finished.has(id) ? 'finished' : 'new';
  }

  /** Answers what takes it back. Throws when there is no room for one more. */
  start(mark: Mark): () => void {
    const { commandId } = mark;
    const waited = this.#parked.get(commandId);
    if (!waited) this.#demandRoom();
    this.#started.set(commandId, mark);
    this.#parked.delete(commandId);
    return () => {
      this.#started.delete(commandId);
      if (waited) this.#parked.set(commandId, waited);
    };
  }

  /** Answers what takes it back. Throws when there is no room for one more. */
  park(waiting: Parked): () => void {
    const { commandId } = waiting;
    const mark = this.#started.get(commandId);
    if (!mark) this.#demandRoom();
    this.#parked.set(commandId, waiting);
    this.#started.delete(commandId);
    return () => {
      this.#parked.delete(commandId);
      if (mark) this.#started.set(commandId, mark);
    };
  }

  /** False when it neither waited nor ran. */
  finish(commandId: string): boolean {
    const mark = this.#started.get(commandId) ?? this.#parked.get(commandId);
    if (!mark) return false;
    this.#started.delete(commandId);
    this.#parked.delete(commandId);
    this.#finished.set(commandId, { commandId, tenantId: mark.tenantId, at: mark.at });
    return true;
  }

  /** The lines of the marks still needed. */
  lines(): string[] {
    this.#forgetOld();
    return [
      ...[...this.#started.values(), ...this.#finished.values()].map(startedLine),
      ...[...this.#finished.keys()].map(finishedLine),
      ...[...this.#parked.values()].map(parkedLine),
    ];
  }

  #apply(line: string): void {
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) return;
    if ('started' in parsed.data) {
      const { started: commandId, tenantId, at } = parsed.data;
      this.#parked.delete(commandId);
      this.#started.set(commandId, { commandId, tenantId, at });
    } else if ('parked' in parsed.data) {
      const { parked: commandId, ...rest } = parsed.data;
      this.#started.delete(commandId);
      this.#parked.set(commandId, { commandId, ...rest });
    } else this.finish(parsed.data.finished);
  }

  #demandRoom(): void {
    this.#forgetOld();
    if (this.#started.size + this.#parked.size >= MAX_MARKS)
      throw new Error('too many commands are under way');
  }

  #forgetOld(): void {
    for (const [commandId, { at }] of this.#finished) {
      const isYoung = at > this.#now() - this.#keepMs;
      if (isYoung && this.#finished.size + this.#started.size < MAX_MARKS) break;
      this.#finished.delete(commandId);
    }
  }
}

export const startedLine = ({ commandId, tenantId, at }: Mark): string =>
  `${JSON.stringify({ started: commandId, tenantId, at })}\n`;
export const parkedLine = ({ commandId, tenantId, at, work }: Parked): string =>
  `${JSON.stringify({ parked: commandId, tenantId, at, work })}\n`;
export const finishedLine = (commandId: string): string =>
  `${JSON.stringify({ finished: commandId })}\n`;

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the torn last line of a crash: its device was not touched
  }
}
