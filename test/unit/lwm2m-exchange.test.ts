import { describe, expect, it } from 'vitest';

import {
  CoapFailure,
  type CoapResponse,
  type OutgoingRequest,
} from '../../driver/coap/contract.ts';
import { resourceOf } from '../../driver/lwm2m/codec/resource.ts';
import {
  executeResource,
  readResource,
  writeResource,
} from '../../driver/lwm2m/operation/request.ts';
import type { Registration } from '../../driver/lwm2m/registration/registration.ts';
import type { AttributeType } from '../../src/bus/topic/topics.ts';

const CHANGED = 0x44;
const CONTENT = 0x45;
const [TEXT, OPAQUE, SENML_JSON, TLV] = [0, 42, 110, 11_542];
const PACKAGE = Buffer.from([0, 255, 254, 61, 62, 63, 251]);

/** A registered device that answers everything alike, and what it was sent. */
function exchanging(answer: Partial<CoapResponse> = {}, more: Partial<Registration> = {}) {
  const sent: OutgoingRequest[] = [];
  const send = async (_peer: unknown, request: OutgoingRequest): Promise<CoapResponse> => {
    sent.push(request);
    return {
      code: CHANGED,
      contentFormat: null,
      observe: null,
      payload: Buffer.alloc(0),
      ...answer,
    };
  };
  const registration: Registration = {
    id: '00',
    endpoint: 'urn:dev:1',
    deviceId: '1',
    peer: { address: '127.0.0.1', port: 5683 },
    version: '1.1',
    queueMode: false,
    lifetimeS: 60,
    expiresAt: 0,
    heardAt: 0,
    contentFormats: [],
    root: [],
    objects: [],
    leftOut: 0,
    objectsAt: 0,
    ...more,
  };
  const at = (path: string, type: AttributeType, settings: Record<string, string> = {}) => {
    const [objectId = '', objectInstanceId = '', resourceId = ''] = path.split('/').slice(1);
    const configs = { objectId, objectInstanceId, resourceId, ...settings };
    return { registration, ...resourceOf({ configs, type }), deadline: 1 };
  };
  return { sent, send, at };
}

describe('an executable resource', () => {
  it.each(['/3/0/4', '/5/0/2', '/5/0/10', '/9/0/4', '/9/3/11', '/3303/0/5605', '/3200/0/5505'])(
    'that the object definitions know (%s) is executed without any payload',
    async (path) => {
      const { sent, send, at } = exchanging();
      await writeResource(send, at(path, 'BOOLEAN'), 'true');
      expect(sent).toEqual([{ method: 'POST', path: path.split('/').slice(1), deadline: 1 }]);
    },
  );

  it('is what the operation of a point says, and no other', async () => {
    const { sent, send, at } = exchanging();
    await writeResource(send, at('/31024/10/2', 'BOOLEAN', { operation: 'execute' }), 'true');
    await writeResource(send, at('/3/0/4', 'BOOLEAN', { operation: 'read-write' }), 'true');
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(() => at('/3/0/4', 'BOOLEAN', { operation: 'run' })).toThrow(
      'operation must be one of auto, read-write, execute',
    );
  });

  it('gets the arguments that are given, and nothing for false', async () => {
    const { sent, send, at } = exchanging();
    await writeResource(send, at('/3/0/4', 'STRING'), "0='http'");
    expect(sent).toMatchObject([{ payload: Buffer.from("0='http'"), contentFormat: TEXT }]);
    await expect(writeResource(send, at('/3/0/4', 'BOOLEAN'), 'false')).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [0x85, 'FAILED'],
    [0xa0, 'UNKNOWN'],
  ])('that is answered %i leaves its command %s', async (code, outcome) => {
    const { send, at } = exchanging({ code });
    const executing = executeResource(send, at('/3/0/4', 'BOOLEAN'), '');
    await expect(executing).rejects.toMatchObject({ code: 'DEVICE_REFUSED', outcome });
  });
});

describe('opaque bytes', () => {
  const value = PACKAGE.toString('base64');

  it.each([
    ['1.1', [], OPAQUE, PACKAGE],
    ['1.0', [], TLV, Buffer.concat([Buffer.from([0xc7, 0]), PACKAGE])],
    ['1.1', [SENML_JSON], SENML_JSON, Buffer.from('[{"bn":"/5/0/0","vd":"AP_-PT4_-w"}]')],
    ['1.1', [TEXT], TEXT, Buffer.from(value)],
  ])('are written as bytes to a device of %s that names %j', async (...expected) => {
    const [version, contentFormats, contentFormat, payload] = expected;
    const { sent, send, at } = exchanging({}, { version, contentFormats });
    await writeResource(send, at('/5/0/0', 'STRING'), value);
    expect(sent).toMatchObject([{ method: 'PUT', contentFormat, payload }]);
    const read = exchanging({ code: CONTENT, contentFormat, payload }, { version });
    expect(await readResource(read.send, read.at('/5/0/0', 'STRING'))).toBe(value);
  });

  it('are what the resourceType of a point says; without it text stays text', async () => {
    const { sent, send, at } = exchanging({}, { version: '1.0' });
    await writeResource(send, at('/3200/0/5750', 'STRING'), value);
    await writeResource(send, at('/33000/0/1', 'STRING', { resourceType: 'opaque' }), value);
    expect(sent.map(({ payload }) => payload?.includes(value))).toEqual([true, false]);
    expect(() => at('/33000/0/1', 'INT', { resourceType: 'opaque' })).toThrow(
      'opaque bytes need a STRING point, not a INT',
    );
  });

  it.each(['not base64!', 'AP_-PT4_-w==', 'AP/+PT4/+w', 'A'])(
    'are refused before anything is sent when %s does not say exactly which',
    async (text) => {
      const { sent, send, at } = exchanging();
      const writing = writeResource(send, at('/5/0/0', 'STRING'), text);
      await expect(writing).rejects.toMatchObject({ code: 'VALUE_INVALID', outcome: 'FAILED' });
      expect(sent).toEqual([]);
    },
  );
});

it('leaves a write UNKNOWN that was answered in the middle as if it were done', async () => {
  const { at } = exchanging();
  const send = () => Promise.reject(new CoapFailure('bad-response'));
  const writing = writeResource(send, at('/3441/0/110', 'STRING'), 'x'.repeat(3_000));
  await expect(writing).rejects.toMatchObject({ code: 'COAP_BAD_RESPONSE', outcome: 'UNKNOWN' });
});

it('asks below the root path that the device registered', async () => {
  const { sent, send, at } = exchanging(
    { code: CONTENT, payload: Buffer.from('21') },
    { root: ['lwm2m', 'a b'] },
  );
  await readResource(send, at('/3308/0/5900', 'DOUBLE'));
  await writeResource(send, at('/3308/0/5900', 'DOUBLE'), '22').catch(() => {});
  await executeResource(send, at('/3/0/4', 'BOOLEAN'), '').catch(() => {});
  expect(sent.map(({ path }) => path.join('/'))).toEqual([
    'lwm2m/a b/3308/0/5900',
    'lwm2m/a b/3308/0/5900',
    'lwm2m/a b/3/0/4',
  ]);
});
