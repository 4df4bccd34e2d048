import { isBare, json, leaksOrFails } from '../answers.ts';
import { newAttacker } from '../attacker.ts';
import { rawGarbage } from '../garbage.ts';
import { type Got, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Surface } from '../surface.ts';
import { described, shown } from './rest.ts';

const WIDTH = 4;

/** An API that asks the scripted model for a turn. */
type TurnApi = {
  name: string;
  path: string;
  request(random: Random, headers: Record<string, string>, conversation: string): Sent;
  wrong(got: Got, method: string): string | null;
};

/** Its bodies, and now and then bytes that are no request. */
export const turnSurface = ({ name, path, request, wrong }: TurnApi): Surface => ({
  name,
  async attack({ world, random, tally, inputs, until }) {
    const client = new HostileClient(world.base);
    const { session, own } = await newAttacker(world);
    await inParallel(
      inputs,
      WIDTH,
      async () => {
        if (random.chance(0.02)) {
          const lines = Object.entries(session.headers).map(
            ([header, text]) => `${header}: ${text}\r\n`,
          );
          const bytes = rawGarbage(path, lines.join(''), random);
          const got = await client.raw(bytes);
          return tally.count(got.status, got.ms, wrong(got, 'POST'), shown(bytes));
        }
        const one = request(random, session.headers, own.conversation);
        const got = await client.send(one);
        tally.count(got.status, got.ms, wrong(got, one.method), described(one));
      },
      until,
    );
    client.close();
  },
});

/** An answer with `field`, a stream with `end`, an error in OpenAI's shape, or the envelope where the path was broken. */
export function wrongTurn(
  got: Got,
  method: string,
  { what, field, end }: { what: string; field: string; end: RegExp },
): string | null {
  const failure = leaksOrFails(got);
  if (failure !== null || ['HEAD', 'OPTIONS'].includes(method) || isBare(got)) return failure;
  if (got.type.includes('event-stream'))
    return end.test(got.text) ? null : `a stream that never ends: ${got.text.slice(-200)}`;
  const answer = json(got.text);
  const isKnown =
    typeof answer === 'object' &&
    answer !== null &&
    (field in answer || 'error' in answer || 'ok' in answer);
  return isKnown ? null : `no ${what} and no error: ${got.status} ${got.text.slice(0, 200)}`;
}
