import { lookup } from 'node:dns';
import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { hostPort } from '../../src/kernel/egress/address.ts';
import { createGuard, type Guard } from '../../src/kernel/egress/guard.ts';
import type { DriverDevice } from '../sdk/driver.ts';
import { misconfigured } from '../sdk/failure.ts';
import { settingOf } from './attributes.ts';

const CONNECT_MS = 10_000;

/** Address of a broker; `tls` has the authority that signed its certificate, and the platform's certificate and key. */
export type Address = {
  host: string;
  port: number;
  tls: { ca?: string; cert?: string; key?: string } | null;
};

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** PEM that went through a field of one line has spaces in place of its line ends. Throws `DriverFailure`. */
function pem(code: string, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const blocks = [...text.replaceAll('\\n', '\n').matchAll(PEM)].map(([, label, body = '']) => {
    const lines = body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? [];
    return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
  });
  if (blocks.length === 0) throw misconfigured(`${code}: is no PEM`);
  return blocks.join('');
}

/** The address of a device's broker. Throws `DriverFailure` POINT_CONFIG. */
export function addressOf(device: Pick<DriverDevice, 'configs'>): Address {
  const url = urlOf(settingOf(device, 'url').trim());
  const isTls = url.protocol === 'mqtts:';
  const proofs = proofsOf(device);
  if (!isTls && Object.keys(proofs).length > 0)
    throw misconfigured('url: certificates need an address that begins with mqtts:');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 8883 : 1883)),
    tls: isTls ? proofs : null,
  };
}

function urlOf(text: string): URL {
  if (text === '') throw misconfigured('url: the address of the broker is missing');
  const url = URL.parse(text);
  if (!url?.hostname || !['mqtt:', 'mqtts:'].includes(url.protocol))
    throw misconfigured('url: must be mqtts://HOST:8883 or mqtt://HOST:1883');
  const { username, password, pathname, search, hash } = url;
  if (`${username}${password}${search}${hash}` !== '' || !['', '/'].includes(pathname))
    throw misconfigured('url: must be HOST and PORT only; the login has settings of its own');
  return url;
}

function proofsOf(device: Pick<DriverDevice, 'configs'>): NonNullable<Address['tls']> {
  const ca = pem('ca', settingOf(device, 'ca'));
  const cert = pem('clientCert', settingOf(device, 'clientCert'));
  const key = pem('clientKey', settingOf(device, 'clientKey'));
  if (!cert !== !key) throw misconfigured('clientCert and clientKey belong together');
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** Public addresses only, unless the operator allows one (SVC_EGRESS_ALLOW, mqtt:HOST:PORT). */
export const brokerGuard = (allow: readonly string[]): Guard =>
  createGuard(new Set(allow.map(hostPort)), (host, answered) =>
    lookup(host, { all: true }, answered),
  );

/** Connects to a checked address; the certificate of a TLS broker is verified, always. Failures are events of the socket. */
export function openSocket({ host, port, tls }: Address, guard: Guard): Socket {
  const refusal = guard.refusal(host, port);
  if (refusal) return new Socket().destroy(refusal);
  const at = { host, port, lookup: guard.lookup(host, port) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = tls
    ? connectTls({ ...at, ...servername, ...tls, minVersion: 'TLSv1.2' })
    : connectTcp(at);
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it did not answer in time')));
  socket.once(tls ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0);
    socket.setNoDelay(true);
    if (!guard.isReached(host, port, socket)) socket.destroy(guard.refused());
  });
  return socket;
}
