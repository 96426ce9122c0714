import type { Machine } from '@sandglass/machines/contract'

/** A machine, as far as mappings use it: its ports can be dialled. */
export type Dialable = Pick<Machine, 'dial'>
