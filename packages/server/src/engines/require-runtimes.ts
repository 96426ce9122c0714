import type { Catalogue } from '../modules/shapes/catalogue.ts'

/** Throws if a shape of an engine names a runtime that the engine does not have, because nobody could create it. */
export function requireRuntimes(
  shapes: Pick<Catalogue, 'all'>,
  engineName: string,
  runtimes: readonly string[],
): void {
  for (const { name, engine, runtime } of shapes.all())
    if (engine === engineName && runtime !== undefined && !runtimes.includes(runtime))
      throw new Error(
        `The runtime of the shape ${name} is ${runtime}; with the engine ${engineName} it must be ${runtimes.join(' or ')}.`,
      )
}
