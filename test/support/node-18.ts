import { nodeBelow } from './older-node.ts'

/** The oldest Node with which a checkout can be used: it installs the Node on which everything else runs. */
export const node18 = () => nodeBelow('cli')
