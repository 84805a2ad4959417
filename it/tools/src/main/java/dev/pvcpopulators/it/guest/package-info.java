/// Virtual machines that use the disks of the services under test.
@NullMarked
package dev.pvcpopulators.it.guest;

import org.jspecify.annotations.NullMarked;
