import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { openApi } from '../gateway/document.ts';
import type { JsonSchema } from '../kernel/input/json-schema.ts';
import { clientTypes } from './openapi-types.ts';

/** Writes the types of the console's client, which the type check reads: every operation of the OpenAPI document. */
const target = new URL('../console/app/client/operations.ts', import.meta.url);
const document: JsonSchema = openApi({ baseUrl: '' });
writeFileSync(fileURLToPath(target), clientTypes(document));
