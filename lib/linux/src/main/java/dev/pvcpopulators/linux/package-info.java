/// Linux system calls that the JDK does not offer, through the foreign-function API (JEP 454).
@NullMarked
package dev.pvcpopulators.linux;

import org.jspecify.annotations.NullMarked;
