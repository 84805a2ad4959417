/// LUNs: their records and directories, their media, their overlays.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.lun;

import org.jspecify.annotations.NullMarked;
