import type { Files } from '@sandglass/machines/contract'

/** The files of a machine wherever it is open when a call is made. */
export function filesOfCurrent(current: () => Promise<{ readonly files: Files }>): Files {
  const files = async () => (await current()).files
  return {
    open: async (...args) => (await files()).open(...args),
    read: async (...args) => (await files()).read(...args),
    write: async (...args) => (await files()).write(...args),
    create: async (...args) => (await files()).create(...args),
    readSmall: async (...args) => (await files()).readSmall(...args),
    copy: async (...args) => (await files()).copy(...args),
    stat: async (...args) => (await files()).stat(...args),
    list: async (...args) => (await files()).list(...args),
    makeDirectory: async (...args) => (await files()).makeDirectory(...args),
    move: async (...args) => (await files()).move(...args),
    remove: async (...args) => (await files()).remove(...args),
    watch: async (...args) => (await files()).watch(...args),
  }
}
