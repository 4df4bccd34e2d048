import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export type Questions = {
  /** The next line of the input without blanks around it; '' where the input has ended. */
  ask(question: string, how?: { isHidden: boolean }): Promise<string>;
  close(): void;
};

/** Questions on a terminal, or lines that are piped in. */
export function openQuestions(): Questions {
  let isHidden = false;
  const terminal = process.stdin.isTTY;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal });
  const read = lines[Symbol.asyncIterator]();
  return {
    async ask(question, how = { isHidden: false }) {
      if (terminal) process.stderr.write(question);
      ({ isHidden } = how);
      const next = await read.next();
      if (terminal && isHidden) process.stderr.write('\n');
      isHidden = false;
      return next.done ? '' : next.value.trim();
    },
    close: () => lines.close(),
  };
}
