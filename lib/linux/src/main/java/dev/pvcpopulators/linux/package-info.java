/// Linux system calls through the foreign-function API (JEP 454), for functions that the JDK does
/// not offer.
@NullMarked
package dev.pvcpopulators.linux;

import org.jspecify.annotations.NullMarked;
