export { type OpenRawFile, RawFolder } from './raw-folder.ts'
export { maxSlots, slotBytes } from './raw-frame.ts'
