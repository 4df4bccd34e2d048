import { tools } from '../../tools/index.ts';

/** Prints the tool catalogue as agents see it, with the permission each call needs. */
export function toolsCommand(json: boolean): void {
  const rows = tools.map(({ name, title, domain, description, permission, scope }) => ({
    name,
    title,
    domain,
    permission,
    scope,
    description,
  }));
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    for (const row of rows) {
      process.stdout.write(
        `${row.name}\n  ${row.title} · ${row.domain} · ${row.permission} · ${row.scope}\n  ${row.description}\n`,
      );
    }
  }
}
