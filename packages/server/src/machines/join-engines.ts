import type { Engines } from './engines.ts'

/** Several engines side by side, each asked about its own. */
export function joinEngines(all: readonly Engines[]): Engines {
  const packages = all.find(one => one.packages)?.packages
  const havingOne = (name: string) => all.find(one => one.get(name))
  return {
    get: name => havingOne(name)?.get(name),
    obstacle: (name, image) => {
      const engines = havingOne(name)
      return engines ? engines.obstacle(name, image) : `This service has no engine ${name}.`
    },
    ...(packages && { packages }),
    prepared: Promise.all(all.map(({ prepared }) => prepared)).then(() => {}),
    close: async () => {
      const closed = await Promise.allSettled(all.map(one => one.close()))
      for (const result of closed) if (result.status === 'rejected') throw result.reason
    },
  }
}
