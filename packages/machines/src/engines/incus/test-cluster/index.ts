export { world } from '../../local/test-world.ts'
export {
  cgroupTrees,
  enterGroups,
  groupFolders,
  leaveGroup,
  makeClusterGroup,
  makeGroup,
  removeGroups,
} from './cgroup-trees.ts'
export { HeldProcess } from './held-process.ts'
export { type ClusterMarks, clusterLeftovers } from './leftovers.ts'
export type { TestMember } from './member.ts'
export { NamespaceDoor } from './namespace-door.ts'
export { type CutDirection, clusterAddresses, type NetworkNamespace } from './network.ts'
export { at } from './request.ts'
export { sweep } from './sweep.ts'
export { TestCluster, type TestClusterOptions } from './test-cluster.ts'
export { addTinyImage, tinyInstance } from './tiny-image.ts'
