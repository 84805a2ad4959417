/// The services and Jobs under torture, and the rounds that are played with them.
@NullMarked
package dev.pvcpopulators.it.torture.subject;

import org.jspecify.annotations.NullMarked;
