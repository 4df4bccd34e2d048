/** Consoles that read the live stream: says when all are open, then the delay of each value so far when asked. */
import { openLive } from '../../support/live/open-live.ts';
import { Given } from './question.ts';

const AT_ONCE = 10;
const delays: number[] = [];

process.on('message', (message) => {
  if (message === 'heard') process.send?.(delays.splice(0));
  else void open(Given.parse(message)).then(() => process.send?.('open'));
});
process.once('disconnect', () => process.exit());

async function open({ url, consoles }: Given): Promise<void> {
  const left = consoles.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => openAll(url, left)));
}

async function openAll(url: string, consoles: Iterable<Given['consoles'][number]>): Promise<void> {
  for (const { token, points, devices } of consoles) {
    const headers = { authorization: `Bearer ${token}` };
    const { status, message } = await openLive(url, headers, {
      points,
      devices,
      onTold({ event, data }) {
        if (event === 'value') delays.push(Date.now() - receivedAt(data));
      },
    });
    if (status !== 200) throw new Error(`a console was refused: ${message}`);
  }
}

const receivedAt = (value: unknown): number =>
  typeof value === 'object' && value !== null && 'operateTime' in value
    ? Date.parse(String(value.operateTime))
    : NaN;
