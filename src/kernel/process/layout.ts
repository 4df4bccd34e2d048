import { hostname } from 'node:os';

import { z } from 'zod';

/** A TCP or UDP port from the environment; 0 takes a free one. */
export const Port = z.coerce.number().int().min(0).max(65_535);

/**
 * The centers, each its URL prefix and permission prefix, with its default port
 * (docs/specification/service.md, Components).
 */
const ports = { auth: 8300, manager: 8400, data: 8500, agentic: 8600 } as const;
/** The drivers, each with the first of its ten health ports. */
const driverPorts = {
  'driver-lwm2m': 8710,
  'driver-virtual': 8700,
} as const;
/** The drivers of packages (SVC_DRIVERS), with the first of its ten health ports as above. */
export const PACKAGES = 'driver-packages';
const PACKAGES_PORT = 8790;
export const DRIVER_PORTS = 10;
export type DriverService = keyof typeof driverPorts;
const isDriver = (name: string): name is DriverService => Object.hasOwn(driverPorts, name);
export const DRIVERS = Object.keys(driverPorts).filter(isDriver);
export type Center = keyof typeof ports;
export const CENTERS = ['auth', 'manager', 'data', 'agentic'] as const satisfies Center[];

const OWN_SERVICES = ['gateway', ...CENTERS, ...DRIVERS] as const;
const SERVICES = [...OWN_SERVICES, PACKAGES] as const;
type Service = (typeof SERVICES)[number];

const isService = (name: string): name is Service => SERVICES.some((service) => service === name);

/** `all`, or a comma list of services. */
const ServiceList = z.string().transform((text, context): readonly Service[] => {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.filter((name) => !isService(name));
  if (text.trim() === 'all') return SERVICES;
  if (unknown.length > 0) {
    const message = `there is no service ${unknown.join(', ') || "''"}; the services are ${SERVICES.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  }
  return names.filter(isService);
});

const MAX_ADDRESSES = 8;

/** A comma list of addresses, the same center behind each. */
const Urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .pipe(
    z
      .array(z.url({ protocol: /^https?$/ }))
      .max(MAX_ADDRESSES)
      .refine((urls) => new Set(urls).size === urls.length, 'names an address twice'),
  )
  .default([]);

/** The environment variables for the services of this process and the addresses of the others. */
export const ServiceEnvironment = z.object({
  SVC_ROLES: ServiceList.default(SERVICES),
  SVC_AUTH_PORT: Port.default(ports.auth),
  SVC_MANAGER_PORT: Port.default(ports.manager),
  SVC_DATA_PORT: Port.default(ports.data),
  SVC_AGENTIC_PORT: Port.default(ports.agentic),
  SVC_DRIVER_PORT: Port.optional(),
  SVC_AUTH_URL: Urls,
  SVC_MANAGER_URL: Urls,
  SVC_DATA_URL: Urls,
  SVC_AGENTIC_URL: Urls,
  SVC_NODE: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ., _ or -')
    .optional(),
});

export type ProcessLayout = {
  services: ReadonlySet<Service>;
  /** Whether some service runs in another process; the processes share database, bus and secrets. */
  split: boolean;
  /** Whether this process has a gateway or a center: drivers alone need neither database nor secrets. */
  serves: boolean;
  /** Port of a center that runs here without the gateway; addresses of a center that runs elsewhere, none if unknown. */
  centers: Record<Center, { port: number; urls: readonly string[] }>;
  /**
   * Health port of a process with drivers only: the configured one, or the first free one of its driver's
   * ten, so that neither two drivers nor two copies of one collide.
   */
  driverPort: { asked: number | null; first: number };
  /** Name of this process among those of its services; stable over restarts: drivers keep files by it. */
  node: string;
};

export function processLayoutOf(env: z.output<typeof ServiceEnvironment>): ProcessLayout {
  const services = new Set(env.SVC_ROLES);
  const driver = DRIVERS.find((service) => services.has(service));
  const first = driver ? driverPorts[driver] : PACKAGES_PORT;
  // Without a package there is nothing of them to run elsewhere.
  const split = OWN_SERVICES.some((service) => !services.has(service));
  return {
    services,
    split,
    serves: [...services].some((service) => !isDriver(service) && service !== PACKAGES),
    centers: {
      auth: { port: env.SVC_AUTH_PORT, urls: env.SVC_AUTH_URL },
      manager: { port: env.SVC_MANAGER_PORT, urls: env.SVC_MANAGER_URL },
      data: { port: env.SVC_DATA_PORT, urls: env.SVC_DATA_URL },
      agentic: { port: env.SVC_AGENTIC_PORT, urls: env.SVC_AGENTIC_URL },
    },
    driverPort: { asked: env.SVC_DRIVER_PORT ?? null, first },
    node: env.SVC_NODE ?? (split ? hostNode() : 'node-1'),
  };
}

const hostNode = (): string =>
  hostname()
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, 64) || 'node-1';

type Shared = {
  databaseUrl: string | null;
  amqpUrl: string | null;
  secretKey: string | undefined;
  /** Null switches signing off; the shipped default is refused between processes. */
  hmacSecret: string | null;
  defaultHmacSecret: string;
};

/** Why these services cannot run split with this configuration, one reason a line; empty when they can. */
export function splitProblems(layout: ProcessLayout, shared: Shared): string[] {
  const { services, centers } = layout;
  if (!layout.split) return [];
  const reasons: string[] = [];
  if (shared.amqpUrl === null)
    reasons.push('AMQP_URL is required: the in-process bus ends with its process');
  if (!layout.serves) return reasons;
  if (shared.databaseUrl === null)
    reasons.push('DATABASE_URL is required: the embedded database serves one process only');
  if (shared.secretKey === undefined)
    reasons.push('SVC_SECRET_KEY is required, the same for every process');
  if (shared.hmacSecret === shared.defaultHmacSecret)
    reasons.push(
      'AUTH_HMAC_SECRET is required, the same for every process and not the shipped default',
    );
  if (services.has('gateway'))
    for (const center of CENTERS)
      if (!services.has(center) && centers[center].urls.length === 0)
        reasons.push(
          `SVC_${center.toUpperCase()}_URL is required: the gateway must know where the ${center} center is`,
        );
  return reasons;
}
