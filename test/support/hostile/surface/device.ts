import { z } from 'zod';

import { seedBench } from '../../../../src/cli/demo/onboard.ts';
import { openRawPeer, type RawPeer } from '../../devices/udp.ts';
import type { Session } from '../../people/session.ts';
import { Records } from '../../people/shapes.ts';
import { eventually } from '../../world/eventually.ts';
import { codeOf, drain, LINKS, mutant, registration } from '../coap.ts';
import type { Random } from '../random.ts';
import type { Site, Surface } from '../surface.ts';
import { jsonOf, mutated, mutatedText } from '../values.ts';

const DATA = '/api/v3/data';
/** Garbage per request before the one that is nearly an answer. */
const GARBAGE = 19;
const CBOR = Buffer.from('81a2212d2ffb4035800000000000', 'hex');
const FORMATS = {
  text: 0,
  link: 40,
  opaque: 42,
  json: 50,
  cbor: 60,
  senmlJson: 110,
  senmlCbor: 112,
  tlv: 11_542,
};

/** A device that registers as it should and then answers reads and writes as it likes. */
export const device: Surface = {
  name: 'CoAP device',
  async attack(site) {
    const { world, random, tally, inputs, until } = site;
    await seedBench(world.app, ['dev-1']);
    const target = await targetOf(world.admin);
    const peer = await openRawPeer();
    const answer = answering(site, peer);
    await register(peer, world.lwm2mPort);
    const upTo = tally.inputs + inputs;
    for (let round = 0; tally.inputs < upTo && performance.now() < until; round += 1) {
      if (round % 20 === 19) await register(peer, world.lwm2mPort);
      const isRead = random.chance(0.7);
      const ids = {
        deviceId: target.device,
        pointId: isRead ? target.temperature : target.setPoint,
      };
      const startedAt = performance.now();
      const path = `${DATA}/point_command/${isRead ? 'read' : 'write'}`;
      const commandId = String(
        await world.admin.data(path, isRead ? ids : { ...ids, value: '21' }),
      );
      const receipt = await eventually(
        () => {
          answer();
          return receiptOf(world.admin, commandId);
        },
        (found) => !/"status":"(PENDING|SENT)"/.test(jsonOf(found)),
        30_000,
      );
      const status = String(Object(receipt)['status']);
      answer.settle(status, Math.max(0, performance.now() - startedAt - 13_000));
    }
    await readsWell(site, target, peer);
    await peer.close();
  },
};

/** The same device, come to its senses, is read. */
async function readsWell(
  { world, tally }: Site,
  target: Awaited<ReturnType<typeof targetOf>>,
  peer: RawPeer,
): Promise<void> {
  drain(peer);
  await register(peer, world.lwm2mPort);
  const ids = { deviceId: target.device, pointId: target.temperature };
  const commandId = String(await world.admin.data(`${DATA}/point_command/read`, ids));
  const receipt = await eventually(
    () => {
      for (const request of drain(peer).filter(isRequest)) {
        const bytes = piggybacked(request, 0x45, [Buffer.from([0xc0, 0xff]), Buffer.from('21.5')]);
        void peer.send(bytes, world.lwm2mPort);
      }
      return receiptOf(world.admin, commandId);
    },
    (found) => !/"status":"(PENDING|SENT)"/.test(jsonOf(found)),
    30_000,
  );
  if (!jsonOf(receipt).includes('"SUCCESS"')) tally.fail(`a good answer ended ${jsonOf(receipt)}`);
}

const receiptOf = (admin: Session, commandId: string): Promise<unknown> =>
  admin.data(`${DATA}/point_command_history/get_by_command_id`, undefined, { commandId });

const isRequest = (bytes: Buffer): boolean =>
  bytes.length >= 4 && (bytes[1] ?? 0) >> 5 === 0 && bytes[1] !== 0;

/** An acknowledgement that carries the answer, with the request's own id and token. */
function piggybacked(request: Buffer, code: number, rest: readonly Buffer[]): Buffer {
  const tokenLength = (request[0] ?? 0) & 15;
  const head = Buffer.from([0x60 | tokenLength, code, request[2] ?? 0, request[3] ?? 0]);
  return Buffer.concat([head, request.subarray(4, 4 + tokenLength), ...rest]);
}

const Points = z.array(z.object({ id: z.string(), pointName: z.string() }));

/** The demo's thermostat, whose endpoint is `dev-1`. */
async function targetOf(admin: Session) {
  const found = await admin.data('/api/v3/manager/device/list', { deviceName: 'dev-1' });
  const deviceId = Records.parse(found).records[0]?.id ?? '';
  const points = Points.parse(
    await admin.data('/api/v3/manager/point/list_by_device_id', undefined, { device_id: deviceId }),
  );
  const named = (name: string): string =>
    points.find(({ pointName }) => pointName === name)?.id ?? '';
  return { device: deviceId, temperature: named('temperature'), setPoint: named('set-point') };
}

let messageId = 1;

async function register(peer: RawPeer, port: number): Promise<void> {
  await eventually(
    async () => {
      const bytes = registration(['ep=dev-1', 'lt=86400', 'lwm2m=1.1', 'b=U'], LINKS);
      bytes.writeUInt16BE((messageId += 1), 2);
      await peer.send(bytes, port);
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
      return peer.received.map(codeOf);
    },
    (codes) => codes.includes('2.01'),
  );
}

/** Looks for requests of the server and answers each with garbage, then with something nearly right. */
function answering({ world, random, tally }: Site, peer: RawPeer) {
  let sentNow = 0;
  const look = (): void => {
    for (const request of drain(peer).filter(isRequest)) {
      const answers = Array.from({ length: 8 }, () => answerTo(request, random));
      const garbage = random.chance(0.3) ? 0 : GARBAGE;
      for (let one = 0; one < garbage; one += 1)
        send(mutant(random, answers, { keepsId: random.chance(0.8) }));
      send(answerTo(request, random));
    }
  };
  const send = (bytes: Buffer): void => {
    sentNow += 1;
    void peer.send(bytes.subarray(0, 1_400), world.lwm2mPort);
  };
  return Object.assign(look, {
    settle(status: string, ms: number): void {
      for (let one = 0; one < Math.max(1, sentNow); one += 1) tally.count(status, ms, null, status);
      sentNow = 0;
    },
  });
}

function answerTo(request: Buffer, random: Random): Buffer {
  const code = random.chance(0.7)
    ? 0x45
    : random.pick([0x44, 0x5f, 0x80, 0x84, 0x86, 0x8f, 0xa0, 0xff]);
  const [format, payload] = random.pick(payloads(random));
  const contentFormat =
    format > 255 ? Buffer.from([0xc2, format >> 8, format & 255]) : Buffer.from([0xc1, format]);
  const extra = random.chance(0.15)
    ? Buffer.from(random.pick(['b10e', 'b10f', 'b0', 'b403ffffff', 'd10a08', '61ff']), 'hex')
    : Buffer.alloc(0);
  const options = random.chance(0.9) ? contentFormat : Buffer.alloc(0);
  return piggybacked(request, code, [options, extra, Buffer.from([0xff]), payload]);
}

function payloads(random: Random): [number, Buffer][] {
  const tlvHead = Buffer.from([0xe8, 0x16, 0x44, 8]);
  const double = Buffer.alloc(8);
  double.writeDoubleBE(
    random.pick([21.5, Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324, 1e308]),
  );
  const tlv = Buffer.concat([tlvHead, double]);
  const record: Record<string, unknown> = { bn: '/3303/0/5700', v: 21.5 };
  const field = random.pick(['bn', 'v', 'n', 'vs', 'vb', 'bt', 'bver', 'u', '__proto__']);
  const senml = jsonOf([{ ...record, [field]: mutated(random, record[field]) }]);
  const text = random.pick([
    '21.5',
    '1e400',
    'NaN',
    '٣',
    '',
    '\0',
    '9'.repeat(1_000),
    '21,5',
    mutatedText(random, '21.5'),
  ]);
  return [
    [FORMATS.text, Buffer.from(text)],
    [FORMATS.text, Buffer.from([0xff, 0xfe, 0x00])],
    [FORMATS.opaque, random.bytes(random.upTo(200))],
    [FORMATS.senmlJson, Buffer.from(senml)],
    [FORMATS.senmlJson, Buffer.from(senml.slice(0, random.upTo(senml.length)))],
    [FORMATS.senmlJson, Buffer.from('['.repeat(1_300))],
    [FORMATS.senmlJson, Buffer.from(`[${'{"n":"a","v":1},'.repeat(70)}{"v":1}]`)],
    [FORMATS.tlv, tlv],
    [FORMATS.tlv, mutant(random, [tlv], { keepsId: true })],
    [FORMATS.tlv, Buffer.from([0xf8, 0xff, 0xff, 0xff, 0xff, 0xff])],
    [FORMATS.tlv, Buffer.from('08'.repeat(300), 'hex')],
    [FORMATS.senmlCbor, mutant(random, [CBOR], { keepsId: true })],
    [FORMATS.cbor, Buffer.from('9f'.repeat(500), 'hex')],
    [FORMATS.json, Buffer.from('{"e":[{"n":"5700","v":1e999}]}')],
    [FORMATS.link, Buffer.from(LINKS)],
    [random.upTo(65_536), random.bytes(40)],
  ];
}
