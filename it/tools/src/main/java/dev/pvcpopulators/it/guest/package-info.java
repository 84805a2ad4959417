/// Virtual machines that use the disks of services.
@NullMarked
package dev.pvcpopulators.it.guest;

import org.jspecify.annotations.NullMarked;
