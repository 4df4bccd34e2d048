import type { Composition } from './index.ts';

/** Opening the database runs the migrations. */
export async function migrateCommand({ createApp, readConfig }: Composition): Promise<void> {
  const app = await createApp(readConfig());
  await app.bus.close();
  await app.db.close();
  process.stdout.write('The database is up to date.\n');
}
