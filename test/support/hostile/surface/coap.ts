import { openRawPeer } from '../../devices/udp.ts';
import { codeOf, drain, LINKS, mutant, ping, registration, requests } from '../coap.ts';
import type { Random } from '../random.ts';
import type { Surface } from '../surface.ts';
import { mutatedText } from '../values.ts';

/** Small enough that no datagram is lost in a full socket buffer. */
const BATCH = 25;

/** Datagrams to the LwM2M server: broken messages, and registrations with garbage in every part. */
export const coap: Surface = {
  name: 'CoAP',
  async attack({ world, random, tally, inputs, until }) {
    const port = world.lwm2mPort;
    const seeds = requests();
    const peers = await Promise.all([openRawPeer(), openRawPeer(), openRawPeer()]);
    for (let sent = 0; sent < inputs && performance.now() < until; sent += BATCH) {
      const size = Math.min(BATCH, inputs - sent);
      const bytes: Buffer[] = [];
      for (let one = 0; one < size; one += 1) {
        const datagram = random.chance(0.4) ? oddRegistration(random) : mutant(random, seeds);
        bytes.push(datagram);
        await random.pick(peers).send(datagram, port);
      }
      const shown = bytes.map((datagram) => datagram.toString('hex').slice(0, 60)).join(' ');
      const ms = await ping(port).catch((error: unknown) => {
        tally.fail(`no answer to a ping (${String(error)}) after ${shown}`);
        return 0;
      });
      const answers = peers.flatMap(drain).map(codeOf);
      for (let one = 0; one < size; one += 1) {
        const outcome = answers[one] ?? 'silence';
        const wrong = outcome === '5.00' ? 'answered 5.00' : null;
        tally.count(outcome, ms, wrong, shown);
      }
    }
    await Promise.all(peers.map((peer) => peer.close()));
  },
};

function oddRegistration(random: Random): Buffer {
  const queries = ['ep=dev-1', 'lt=60', 'lwm2m=1.1', 'b=U'];
  for (let change = random.upTo(3); change > 0; change -= 1) {
    const at = random.upTo(queries.length);
    queries[at] = random.pick([
      mutatedText(random, queries[at] ?? ''),
      `ep=${mutatedText(random, 'dev-1')}`,
      `lt=${random.pick(['-1', '0', '1e9', '99999999999', '', '٣', '0x10'])}`,
      `ep=${'é'.repeat(random.upTo(300))}`,
      '__proto__=x',
      'constructor',
      'q='.repeat(100),
      '',
    ]);
  }
  const links = random.pick<string | Buffer>([
    mutatedText(random, LINKS),
    LINKS.slice(0, random.upTo(LINKS.length)),
    '<'.repeat(1_000),
    `${'</1/0>,'.repeat(150)}</1/0>`,
    `</>;rt="oma.lwm2m";ct="${'9 '.repeat(400)}"`,
    '</>;__proto__=1;constructor="x";rt=oma.lwm2m;ct=99999',
    `</>;${'a'.repeat(1_000)}`,
    `</a>${';b="c"'.repeat(180)}`,
    random.bytes(random.upTo(300)),
    '\u0000'.repeat(100),
  ]);
  const bytes = registration(queries, links);
  bytes.writeUInt16BE(random.upTo(65_536), 2);
  return bytes;
}
