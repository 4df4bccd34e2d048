import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
} from 'kysely';

const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const unused = { config: { dialect }, dialect, driver: dialect.createDriver() };

/** The queries of `db`, executed by `connection`. */
export const queriesOn = <Schema>(
  db: Kysely<Schema>,
  connection: DatabaseConnection,
): Kysely<Schema> =>
  new Kysely<Schema>({
    ...unused,
    executor: db.getExecutor().withConnectionProvider({
      provideConnection: (use) => use(connection),
    }),
  });
