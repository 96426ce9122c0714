import { oneOf } from './value.ts'

/** Names of arguments for where an operation starts or takes place, preferred first. */
export const startNames = oneOf(
  'start_box point coordinate box start_point element start start_coordinate box_2d bbox coordinates position ' +
    'from location point1 coordinate1 startCoordinate start_coords start_coordinates POINT start_position startbox ' +
    'from_coord normalized_point',
)

/** Names of arguments for where it ends. */
export const endNames = oneOf(
  'end_box end_point coordinate2 end end_coordinate point2 endCoordinate end_coords end_coordinates target destination to ' +
    'end_position endbox to_coord',
)

/** Whether the name with this number is that of a position. Its value may still be invalid or a direction. */
export function isPlaceName(number: number): boolean {
  return startNames[number] !== 0 || endNames[number] !== 0
}
