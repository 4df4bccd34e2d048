import { describe, expect, it } from 'vitest';

import { blockOf, blockOption } from '../../driver/coap/message/block.ts';
import type { Message } from '../../driver/coap/message/message.ts';
import {
  Code,
  emptyMessage,
  MessageType,
  midOfMalformedConfirmable,
  parseMessage,
  serialiseMessage,
} from '../../driver/coap/message/message.ts';
import {
  OptionNumber,
  recognise,
  textsOf,
  uintOf,
  uintOption,
} from '../../driver/coap/message/option.ts';
import { seeded } from '../support/world/seeded.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const text = (number: number, value: string) => ({ number, value: Buffer.from(value) });
const message = (part: Partial<Message>): Message => ({
  type: MessageType.CON,
  code: Code.GET,
  mid: 0,
  token: '',
  options: [],
  payload: Buffer.alloc(0),
  ...part,
});

const TEMPERATURE = text(OptionNumber.URI_PATH, 'temperature');
const answer = { code: Code.CONTENT, payload: Buffer.from('22.3 C') };
const { CON, NON, ACK, RST } = MessageType;

// RFC 7252 Appendix A, the figures whose bytes it prints or determines.
const APPENDIX_A: [string, string, Message][] = [
  [
    'figure 16, request',
    '40 01 7d34 bb 74656d7065726174757265',
    message({ mid: 0x7d34, options: [TEMPERATURE] }),
  ],
  [
    'figure 16, piggybacked response',
    '60 45 7d34 ff 32322e332043',
    message({ type: ACK, mid: 0x7d34, ...answer }),
  ],
  [
    'figure 17, request with token',
    '41 01 7d35 20 bb 74656d7065726174757265',
    message({ mid: 0x7d35, token: ' ', options: [TEMPERATURE] }),
  ],
  [
    'figure 17, response with token',
    '61 45 7d35 20 ff 32322e332043',
    message({ type: ACK, mid: 0x7d35, token: ' ', ...answer }),
  ],
  [
    'figure 20, separate response',
    '41 45 ad7b 53 ff 32322e332043',
    message({ mid: 0xad7b, token: 'S', ...answer }),
  ],
  ['figure 20, empty acknowledgement', '60 00 7d38', message({ type: ACK, code: 0, mid: 0x7d38 })],
  [
    'figure 22, non-confirmable request',
    '51 01 7d40 75 bb 74656d7065726174757265',
    message({ type: NON, mid: 0x7d40, token: 'u', options: [TEMPERATURE] }),
  ],
  ['figure 21, reset', '70 00 ad7c', message({ type: RST, code: 0, mid: 0xad7c })],
];

describe('the message codec', () => {
  it.each(APPENDIX_A)('reads and writes RFC 7252 Appendix A, %s', (_name, bytes, expected) => {
    expect(parseMessage(hex(bytes))).toEqual(expected);
    expect(serialiseMessage(expected)).toEqual(hex(bytes));
  });

  it('reads and writes extended deltas and lengths at their borders', () => {
    for (const size of [0, 12, 13, 268, 269, 1000]) {
      for (const number of [1, 12, 13, 268, 269, 65_535]) {
        const original = message({
          options: [{ number, value: Buffer.alloc(size, 7) }],
          payload: Buffer.from('x'),
        });
        expect(parseMessage(serialiseMessage(original))).toEqual(original);
      }
    }
  });

  it('returns what it was given for 2,000 random messages', () => {
    const random = seeded(7);
    const upTo = (limit: number) => Math.floor(random() * limit);
    const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => upTo(256)));
    for (let count = 0; count < 2000; count++) {
      let number = 0;
      const options = Array.from({ length: upTo(6) }, () => {
        number += upTo(400);
        return { number, value: bytes(upTo(300)) };
      });
      const original = message({
        type: ([CON, NON, ACK, RST] as const)[upTo(4)] ?? CON,
        code: 1 + upTo(255),
        mid: upTo(65_536),
        token: bytes(upTo(9)).toString('latin1'),
        options,
        payload: bytes(upTo(100)),
      });
      expect(parseMessage(serialiseMessage(original))).toEqual(original);
    }
  });

  it('sorts options and keeps the order of equal ones', () => {
    const options = [
      text(OptionNumber.URI_QUERY, 'a=1'),
      text(OptionNumber.URI_PATH, 'rd'),
      text(OptionNumber.URI_QUERY, 'b=2'),
    ];
    const parsed = parseMessage(serialiseMessage(message({ options })));
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(textsOf(parsed.options, OptionNumber.URI_PATH)).toEqual(['rd']);
    expect(textsOf(parsed.options, OptionNumber.URI_QUERY)).toEqual(['a=1', 'b=2']);
  });

  it.each([
    ['', 'shorter than a header'],
    ['400100', 'shorter than a header'],
    ['00010000', 'unknown version'],
    ['80010000', 'unknown version'],
    ['49010000 000000000000000000', 'token longer than 8 bytes'],
    ['44010000 0000', 'token cut off'],
    ['40000000 ff', 'empty message with content'],
    ['41000000 00', 'empty message with content'],
    ['40010000 ff', 'marker without payload'],
    ['40010000 f0', 'reserved option nibble'],
    ['40010000 0f', 'reserved option nibble'],
    ['40010000 d0', 'option cut off'],
    ['40010000 e001', 'option cut off'],
    ['40010000 0d', 'option cut off'],
    ['40010000 b2 61', 'option cut off'],
    ['40010000 e0ffff', 'option number out of range'],
  ])('refuses %s: %s', (bytes, reason) => {
    expect(parseMessage(hex(bytes))).toBe(reason);
  });

  it('names the message id of a malformed confirmable message only', () => {
    expect(midOfMalformedConfirmable(hex('40011234 ff'))).toBe(0x1234);
    expect(midOfMalformedConfirmable(hex('50011234 ff'))).toBe(null);
    expect(midOfMalformedConfirmable(hex('00011234'))).toBe(null);
    expect(midOfMalformedConfirmable(hex('4001'))).toBe(null);
    expect(emptyMessage(RST, 0x1234)).toEqual(hex('70001234'));
  });
});

describe('options', () => {
  it('hold integers in the fewest bytes', () => {
    for (const [value, bytes] of [
      [0, ''],
      [60, '3c'],
      [256, '0100'],
      [11_542, '2d16'],
      [0xffffffff, 'ffffffff'],
    ] as const) {
      const option = uintOption(12, value);
      expect(option.value).toEqual(hex(bytes));
      expect(uintOf([option], 12)).toBe(value);
    }
    expect(uintOf([], 12)).toBe(null);
    expect(uintOf([{ number: 12, value: hex('0000') }], 12)).toBe(0);
  });

  it('that are unknown and critical, too long or repeated are named; elective ones are left out', () => {
    const path = text(OptionNumber.URI_PATH, 'rd');
    const accept = uintOption(OptionNumber.ACCEPT, 40);
    const unknown = text(2048, 'x');
    expect(recognise([path, accept], 'request')).toEqual([path, accept]);
    expect(recognise([path, accept, unknown], 'request')).toEqual([path, accept]);
    expect(recognise([path, text(9, 'x')], 'request')).toBe(9);
    expect(recognise([accept, accept], 'request')).toBe(OptionNumber.ACCEPT);
    expect(recognise([text(OptionNumber.URI_PATH, 'x'.repeat(256))], 'request')).toBe(11);
    expect(recognise([text(OptionNumber.BLOCK1, 'xxxx')], 'response')).toBe(27);
    expect(recognise([path], 'response')).toBe(OptionNumber.URI_PATH);
  });
});

describe('block options', () => {
  // RFC 7959 section 3: num/more/size as its figures write them.
  it.each([
    ['', { number: 0, more: false, szx: 0 }],
    ['06', { number: 0, more: false, szx: 6 }], // 2:0/0/1024
    ['0b', { number: 0, more: true, szx: 3 }], // simple GET, 2:0/1/128
    ['1b', { number: 1, more: true, szx: 3 }], // simple GET, 2:1/1/128
    ['23', { number: 2, more: false, szx: 3 }], // simple GET, 2:2/0/128
    ['2a', { number: 2, more: true, szx: 2 }], // GET with early negotiation, 2:2/1/64
    ['52', { number: 5, more: false, szx: 2 }], // GET with early negotiation, 2:5/0/64
    ['49', { number: 4, more: true, szx: 1 }], // PUT with negotiation, 1:4/1/32
    ['0106', { number: 16, more: false, szx: 6 }],
    ['fffffe', { number: 0xfffff, more: true, szx: 6 }],
  ] as const)('%s', (bytes, block) => {
    expect(blockOf([{ number: 23, value: hex(bytes) }], 23)).toEqual(block);
    expect(blockOption(23, block).value).toEqual(hex(bytes));
  });

  it('with size exponent 7 or more than 3 bytes are invalid', () => {
    expect(blockOf([{ number: 27, value: hex('0f') }], 27)).toBe('invalid');
    expect(blockOf([{ number: 27, value: hex('00000000') }], 27)).toBe('invalid');
    expect(blockOf([], 27)).toBe(null);
  });
});
