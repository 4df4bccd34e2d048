/** The platform as it is measured. Arguments: the resource of the tokens it makes, and their number. */
import { report } from '../report.ts';
import { measuredPlatform } from './measured.ts';

const [resource, count] = process.argv.slice(2);
const { url, tokens } = await measuredPlatform(
  resource === '/mcp' ? resource : '/api/v3',
  Number(count),
);
report({ url, tokens });
