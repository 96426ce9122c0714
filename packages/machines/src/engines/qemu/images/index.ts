export { diskPackages, windowsPackages } from '../host/packages.ts'
export { probeKvm } from '../host/probe-kvm.ts'
export { type AddDiskOptions, addDisk, type BroughtDisk } from './add-disk.ts'
export { type DiskFormat, diskFormats, isDiskFormat } from './disk-format.ts'
export { removeVmImage } from './remove-vm-image.ts'
export { type StoreOptions, storeVmImage } from './store-vm-image.ts'
export {
  filesOf,
  findVmImage,
  isVmImageName,
  listVmImages,
  readVmImage,
  type StoredVmImage,
  type VmImage,
  type VmImageDescription,
  vmImageValues,
} from './vm-image.ts'
export { type InstallOptions, installWindows, type WindowsInstallation } from './windows/install-windows.ts'
