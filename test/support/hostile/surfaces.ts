import type { Surface } from './surface.ts';
import { anthropic } from './surface/anthropic.ts';
import { broker } from './surface/broker.ts';
import { bus } from './surface/bus.ts';
import { chat } from './surface/chat.ts';
import { coap } from './surface/coap.ts';
import { device } from './surface/device.ts';
import { login } from './surface/login.ts';
import { mcpResources } from './surface/mcp-resource.ts';
import { mcp } from './surface/mcp.ts';
import { model } from './surface/model.ts';
import { oauth } from './surface/oauth.ts';
import { receivers } from './surface/receivers.ts';
import { responses } from './surface/responses.ts';
import { rest } from './surface/rest.ts';

/** Every way into the platform that is attacked. */
export const surfaces: readonly Surface[] = [
  login,
  mcp,
  mcpResources,
  oauth,
  coap,
  device,
  bus,
  ...broker,
  chat,
  responses,
  model,
  anthropic,
  receivers,
  rest,
];
