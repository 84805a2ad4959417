/// Exports the disks in container images as LUNs of an iSCSI target, while the images are pulled.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi;

import org.jspecify.annotations.NullMarked;
