import type { Place } from '../../driver/sdk/driver.ts';
import { type Config, DEFAULT_HMAC_SECRET } from '../kernel/process/config.ts';
import { CENTERS } from '../kernel/process/layout.ts';
import type { DriverPlatform, Platform } from '../start/platform.ts';

/** Text that a start prints: services and addresses of the process, the login, and warnings. */
export function banner(platform: Platform): string {
  const { app, listening } = platform;
  const { baseUrl, demo, split } = app.config;
  const engine = app.db.engine === 'embedded' ? `embedded, in ${app.config.dataDir}` : 'PostgreSQL';
  return lines([
    'Device Data Platform is up',
    ...(split ? servicesOf(app.config) : []),
    ...(platform.ports.gateway === undefined
      ? []
      : [
          ...(app.config.swagger
            ? [`  Start     ${baseUrl}/   (every operation: /swagger-ui.html)`]
            : []),
          `  API       ${baseUrl}/api/v3`,
          `  MCP       ${baseUrl}/mcp`,
          `  Chat      ${baseUrl}/api/v3/agentic/chat/completions`,
        ]),
    ...doors(platform),
    ...addresses(listening),
    ...login(platform),
    `  Database  ${engine}`,
    ...(demo && !split
      ? [
          '  Demo      a boiler house with a made-up week, dev-1 (simulated LwM2M) and virtual-1; SVC_DEMO=off leaves them out',
        ]
      : []),
    ...signing(app.config),
  ]);
}

/** The banner of a process with drivers only. */
export const driverBanner = (config: Config, { listening, healthPort }: DriverPlatform): string =>
  lines([
    'Device Data Platform: drivers are up',
    ...servicesOf(config),
    ...addresses(listening),
    `  Health    http://${config.host}:${healthPort}/readyz`,
    `  Node      ${config.node}`,
  ]);

const lines = (text: string[]): string => `\n${text.join('\n')}\n\n`;

const servicesOf = ({ services }: Config): string[] => [`  Services  ${[...services].join(', ')}`];

/** A line for each driver, whatever the number of its ports. */
const addresses = (listening: readonly Place[]): string[] =>
  [...Map.groupBy(listening, ({ name }) => name)].map(([name, places]) => {
    const all = places.map(
      ({ scheme, host, port, note }) => `${scheme}://${host}:${port}${note ? ` (${note})` : ''}`,
    );
    return `  ${name.padEnd(8)}  ${all.join('   ')}`;
  });

/** Lines of centers on their own ports; docs/specification/service.md, Rules of the service 1–2. */
function doors({ app, ports }: Platform): string[] {
  return CENTERS.flatMap((center) =>
    ports[center] === undefined
      ? []
      : [
          `  ${center.padEnd(8)}  http://${app.config.host}:${ports[center]}   (for the gateway, not the public)`,
        ],
  );
}

/** SVC_ADMIN_PASSWORD counts at the first start only; later the password is in the database. */
function login({ app, firstLogin }: Platform): string[] {
  if (!app.config.services.has('auth')) return [];
  const { login: name, password: given } = app.config.admin;
  const password = firstLogin?.generatedPassword
    ? `${firstLogin.generatedPassword}   (generated, shown once; must be changed at the first login)`
    : firstLogin
      ? 'as in SVC_ADMIN_PASSWORD'
      : `as set before${given ? ' (SVC_ADMIN_PASSWORD counts at the first start only)' : ''}; forgotten: npm run svc -- password LOGIN`;
  return [
    '  Tenant    default',
    ...(firstLogin ? [`  Login     ${name}`] : []),
    `  Password  ${password}`,
  ];
}

function signing({ hmacSecret }: Config): string[] {
  if (hmacSecret === null)
    return [
      '  WARNING   AUTH_HMAC_SECRET is empty: principals are not signed. Keep this off any network.',
    ];
  if (hmacSecret === DEFAULT_HMAC_SECRET)
    return [
      '  Note      AUTH_HMAC_SECRET is the well-known default; set your own before anybody else can reach this.',
    ];
  return [];
}
