"""The cells of a table that are on the screen."""
from gi.repository import Atspi

MAX_ROWS, MAX_COLUMNS = 500, 500


def shown_cells(table):
    """Yields the cells on the screen, row by row. They form a rectangle, so its first corner is found, and then its edges."""
    columns = table.get_n_columns()
    first_row, first_column = _first_corner(table, columns)
    width = None
    for row in range(first_row, min(first_row + MAX_ROWS, table.get_n_rows())):
        count = 0
        for column in range(first_column, min(first_column + (width or MAX_COLUMNS), columns)):
            cell = table.get_accessible_at(row, column)
            if cell is None or not cell.get_state_set().contains(Atspi.StateType.SHOWING):
                break
            count += 1
            yield cell
        if count == 0:
            return
        width = width or count


def _first_corner(table, columns):
    place = table.get_extents(Atspi.CoordType.SCREEN)
    corner = table.get_accessible_at_point(place.x + 2, place.y + 2, Atspi.CoordType.SCREEN)
    index = -1 if corner is None else corner.get_index_in_parent()
    return divmod(index, columns) if index >= 0 else (0, 0)
