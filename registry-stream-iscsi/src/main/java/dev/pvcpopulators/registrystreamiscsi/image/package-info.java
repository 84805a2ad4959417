/// Images: pulls and resumes them, keeps them in a cache, and makes them readable while they
/// arrive.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.image;

import org.jspecify.annotations.NullMarked;
