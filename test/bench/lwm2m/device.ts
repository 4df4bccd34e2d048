import {
  Code,
  EMPTY,
  type Message,
  MessageType,
  serialiseMessage,
} from '../../../driver/coap/message/message.ts';
import {
  OptionNumber,
  textOptions,
  textsOf,
  uintOf,
  uintOption,
} from '../../../driver/coap/message/option.ts';
import type { DriverDevice } from '../../../driver/sdk/driver.ts';

const SENML_JSON = 110;
const LINK_FORMAT = 40;
/** Devices that share a socket are told apart by the path of their objects. */
const linksOf = (number: number) => {
  const root = `/n${number}`;
  return Buffer.from(
    `<${root}>;rt="oma.lwm2m";ct="110",<${root}/1/0>,<${root}/3/0>,<${root}/3303/0>`,
  );
};

const endpointOf = (number: number): string => `urn:bench:${number}`;

/** The device of this number as the platform describes it: one point, its temperature. */
export function deviceOf(number: number, isObserved: boolean): DriverDevice {
  const id = `${number + 1}`;
  const endpoint = endpointOf(number);
  return {
    id,
    tenantId: '1',
    driverId: '9',
    name: endpoint,
    enabled: true,
    configs: { endpoint },
    claim: { endpoint, number: id },
    points: [
      {
        id: `${number + 1_000_001}`,
        code: 'temperature',
        name: 'temperature',
        type: 'DOUBLE',
        rw: 'READ_ONLY',
        base: 0,
        multiple: 1,
        decimals: 6,
        unit: '',
        configs: { objectId: '3303', resourceId: '5700', observe: `${isObserved}` },
      },
    ],
  };
}

const tokenOf = (mid: number): string => String.fromCharCode(mid >> 8, mid & 255);

const confirmable = (mid: number, code: number, options: Message['options'], payload = EMPTY) =>
  serialiseMessage({ type: MessageType.CON, code, mid, token: tokenOf(mid), options, payload });

/** A GET of a short resource. */
export const getMessage = (mid: number): Buffer =>
  confirmable(mid, Code.GET, textOptions(OptionNumber.URI_PATH, ['temperature']));

export const registerMessage = (mid: number, number: number): Buffer =>
  confirmable(
    mid,
    Code.POST,
    [
      ...textOptions(OptionNumber.URI_PATH, ['rd']),
      uintOption(OptionNumber.CONTENT_FORMAT, LINK_FORMAT),
      ...textOptions(OptionNumber.URI_QUERY, [`ep=${endpointOf(number)}`, 'lt=86400', 'lwm2m=1.1']),
    ],
    linksOf(number),
  );

export const updateMessage = (mid: number, location: readonly string[]): Buffer =>
  confirmable(mid, Code.POST, textOptions(OptionNumber.URI_PATH, location));

/** Where an answered registration is. */
export const locationIn = ({ options }: Message): string[] =>
  textsOf(options, OptionNumber.LOCATION_PATH);

/** A value that the device reports by itself (RFC 7641). */
export const notification = (mid: number, token: string, number: number): Buffer =>
  serialiseMessage({
    type: MessageType.NON,
    code: Code.CONTENT,
    mid,
    token,
    options: [
      uintOption(OptionNumber.OBSERVE, number & 0xff_ff_ff),
      uintOption(OptionNumber.CONTENT_FORMAT, SENML_JSON),
    ],
    payload: senml(20 + (number % 100) / 10),
  });

const senml = (value: number): Buffer => Buffer.from(`[{"bn":"/3303/0/5700","v":${value}}]`);

/** What the device answers to a request of the server; `observed` gets the token of an observation that begins. */
export function answerTo(
  { code, mid, token, options }: Message,
  observed: (token: string) => void,
): Buffer {
  const observe = uintOf(options, OptionNumber.OBSERVE);
  if (observe === 0) observed(token);
  const isRead = code === Code.GET;
  return serialiseMessage({
    type: MessageType.ACK,
    code: isRead ? Code.CONTENT : Code.CHANGED,
    mid,
    token,
    options: isRead
      ? [
          ...(observe === 0 ? [uintOption(OptionNumber.OBSERVE, 1)] : []),
          uintOption(OptionNumber.CONTENT_FORMAT, SENML_JSON),
        ]
      : [],
    payload: isRead ? senml(21.5) : EMPTY,
  });
}
