import { bytesOf, type Datagram, number, Option, parsed, uint, valuesOf } from './coap-datagram.ts';
import { openDeviceWire } from './device-wire.ts';

export const lies = [
  'none',
  'ack without effect',
  'effect without ack',
  'neither',
  'late ack',
  'late effect',
  'twice',
  'truncated block',
  'other format',
  'other token',
  'refusal with effect',
  'error with effect',
] as const;
export type Lie = (typeof lies)[number];

const [CONTENT, CHANGED, BAD, ERROR] = [0x45, 0x44, 0x80, 0xa0];
const [ACK, NON] = [2, 1];
/** Later than a driver waits for an answer. */
const TOO_LATE_MS = 10_500;
const EFFECT_LATE_MS = 700;
/** Formats in which a device may label a text that is not of them: TLV, SenML-JSON, CBOR, octets, and an unknown one. */
const FORMATS = [11_542, 110, 60, 42, 50];

/** What the device really held, and what it said of it, each from an instant on. */
type Truth = {
  held: { value: number; at: number }[];
  said: { value: number; at: number }[];
};

/** A played LwM2M device of one set-point, /3308/0/5900, that lies as it is set to. */
export async function openLyingDevice({
  port,
  endpoint,
  psk,
  random,
  now,
}: {
  port: number;
  endpoint: string;
  psk: { identity: Buffer; key: Buffer } | null;
  random: () => number;
  now: () => number;
}) {
  const truth: Truth = { held: [{ value: 1, at: now() }], said: [] };
  const timers = new Set<NodeJS.Timeout>();
  const answers = new Map<number, (code: number) => void>();
  let observedBy: Buffer | null = null;
  let [lie, wanted, mid, sequence]: [Lie, number, number, number] = ['none', 1, 1, 1];
  const wire = await openDeviceWire(port, psk, (bytes) => {
    const message = parsed(bytes);
    if (message) take(message);
  });

  const later = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };
  const held = (): number => truth.held.at(-1)?.value ?? 1;
  const text = (value: number): Buffer => Buffer.from(String(value));
  const nextMid = (): number => (mid = (mid + 1) & 0xffff);

  function apply(value: number): void {
    truth.held.push({ value, at: now() });
    notify();
    if (lie === 'twice') notify();
  }

  function notify(): void {
    if (!observedBy || lie === 'truncated block') return;
    truth.said.push({ value: held(), at: now() });
    const options = [
      [Option.OBSERVE, uint((sequence += 1))],
      [Option.FORMAT, uint(0)],
    ] as const;
    const one = { type: NON, code: CONTENT, mid: nextMid(), token: observedBy };
    wire.send(bytesOf({ ...one, options: [...options], payload: text(held()) }));
  }

  function answer(to: Datagram, code: number, more: Partial<Datagram> = {}): void {
    const { token, mid: same } = to;
    wire.send(
      bytesOf({
        type: ACK,
        code,
        mid: same,
        token,
        options: [],
        payload: Buffer.alloc(0),
        ...more,
      }),
    );
  }

  function written(request: Datagram, value: number): void {
    const ack = (): void => answer(request, CHANGED);
    const turns: Record<Lie, () => void> = {
      none: () => [apply(value), ack()],
      'ack without effect': ack,
      'effect without ack': () => apply(value),
      neither: () => {},
      'late ack': () => [apply(value), later(TOO_LATE_MS, ack)],
      'late effect': () => [ack(), later(EFFECT_LATE_MS, () => apply(value))],
      twice: () => [apply(value), ack(), ack(), apply(value)],
      'truncated block': () => [apply(value * 1000), ack()],
      'other format': () => [random() < 0.5 && apply(value), ack()],
      'other token': () => [
        random() < 0.5 && apply(value),
        random() < 0.5 ? answer(request, CHANGED, { token: Buffer.alloc(8, 7) }) : ack(),
      ],
      'refusal with effect': () => [apply(value), answer(request, BAD)],
      'error with effect': () => [apply(value), answer(request, ERROR)],
    };
    turns[lie]();
  }

  function read(request: Datagram): void {
    const options: Datagram['options'] = [[Option.FORMAT, uint(0)]];
    const observe = valuesOf(request, Option.OBSERVE)[0];
    if (observe && number(observe) === 0) {
      observedBy = Buffer.from(request.token);
      options.push([Option.OBSERVE, uint(sequence)]);
    }
    if (lie === 'truncated block') {
      // The first block alone reads as what was wanted; the value is a thousand times that.
      if (number(valuesOf(request, Option.BLOCK2)[0]) >> 4 > 0) {
        if (random() < 0.5) answer(request, 0x88);
        return;
      }
      options.push([Option.BLOCK2, Buffer.of(8)]);
      const whole = `${String(wanted).padStart(16, '0')}e3`;
      answer(request, CONTENT, { options, payload: Buffer.from(whole.slice(0, 16)) });
      return;
    }
    if (lie === 'other format') {
      const format = FORMATS[Math.floor(random() * FORMATS.length)] ?? 50;
      answer(request, CONTENT, {
        options: [[Option.FORMAT, uint(format)]],
        payload: random() < 0.5 ? text(held()) : Buffer.of(0xc8, 0, 9, 1, 2),
      });
      return;
    }
    if (lie === 'other token') {
      const stolen = { options, payload: text(wanted) };
      answer(request, CONTENT, { ...stolen, token: Buffer.alloc(8, 9) });
      wire.send(
        bytesOf({ type: NON, code: CONTENT, mid: nextMid(), token: Buffer.alloc(8, 9), ...stolen }),
      );
      if (random() < 0.5) return;
    }
    truth.said.push({ value: held(), at: now() });
    answer(request, CONTENT, { options, payload: text(held()) });
    if (lie === 'twice') answer(request, CONTENT, { options, payload: text(held()) });
  }

  function take(message: Datagram): void {
    const { code, type } = message;
    if (code >= 0x40) {
      answers.get(message.mid)?.(code);
      return;
    }
    if (code === 0 || type > NON) return;
    const path = valuesOf(message, Option.PATH).join('/');
    const isAttributes = valuesOf(message, Option.QUERY).length > 0;
    if (code === 3 && isAttributes) answer(message, CHANGED);
    else if (code === 3) written(message, Number(message.payload.toString()));
    else if (path === '3308/0/5900') read(message);
    else answer(message, 0x84);
  }

  return {
    truth,
    held,
    /** From now on until the next time. */
    lies(next: Lie, value: number): void {
      [lie, wanted] = [next, value];
    },
    isObserved: () => observedBy !== null,
    /** Answers the code. */
    register(): Promise<number> {
      const one = { type: 0, code: 2, mid: nextMid(), token: Buffer.of(1, 2) };
      const query = [`ep=${endpoint}`, 'lt=86400', 'lwm2m=1.1', 'b=U'];
      const options = [
        [Option.PATH, Buffer.from('rd')] as const,
        [Option.FORMAT, uint(40)] as const,
        ...query.map((part) => [Option.QUERY, Buffer.from(part)] as const),
      ];
      return new Promise((resolve) => {
        answers.set(one.mid, resolve);
        later(3_000, () => resolve(0));
        wire.send(bytesOf({ ...one, options, payload: Buffer.from('</3308/0>') }));
      });
    },
    close(): void {
      for (const timer of timers) clearTimeout(timer);
      wire.close();
    },
  };
}
export type LyingDevice = Awaited<ReturnType<typeof openLyingDevice>>;
