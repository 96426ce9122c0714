import pg from 'pg'

/** The connection to the database was lost, or none could be opened. */
export class DatabaseLostError extends Error {
  override readonly name = 'DatabaseLostError'
}

const socketErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'])

/** Messages of pg, which have no code, for a connection that was lost or could not be opened. */
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Does something with the database. Errors of its connection are marked, since those of files and other sockets look the same. */
export async function markingLost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof pg.DatabaseError || !(error instanceof Error)) throw error
    const isLost = ('code' in error && socketErrors.has(String(error.code))) || lost.test(error.message)
    throw isLost ? new DatabaseLostError(error.message, { cause: error }) : error
  }
}
