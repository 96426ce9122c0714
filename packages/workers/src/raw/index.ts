export { type OpenRawFile, RawFolder } from './raw-folder.ts'
