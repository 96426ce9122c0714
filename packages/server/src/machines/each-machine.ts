/**
 * A machine that responds slowly must not delay many others, and no machine may wait so long for a connection to the database that
 * its turn fails.
 */
const maxAtOnce = 100

/** Does work for each of any number of machines, many at a time. */
export async function eachMachine<T>(
  machines: readonly T[],
  work: (machine: T) => Promise<void>,
): Promise<void> {
  const queue = machines.values()
  const takeTurns = async () => {
    for (const machine of queue) await work(machine)
  }
  await Promise.all(Array.from({ length: maxAtOnce }, takeTurns))
}
