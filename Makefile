# Small doors to everything; each finds a JDK 25 by itself (.mvn/find-jdk.sh).
.PHONY: help demo test nightly fuzz torture bench build images docs supply reproducible pictures format \
	 install-test-tools test-cluster clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-25s %s\n", $$1, $$2}' Makefile
	@service-parent/list.sh | awk '{printf "  make %-25s build, and run it in a folder below this one\n", "run-" $$1}'

demo: build ## build; upload a qcow2, copy one out of an image, export it as a LUN; make an image a disk
	@it/demo.sh

test: install-test-tools ## as root: install the test tools (apt-get, where missing), test every promise once
	@.ci/test tools

nightly: install-test-tools ## as root: every test, with all matrices, kill rounds, load, and boots
	@.ci/test nightly

test-cluster: install-test-tools ## the tests on the servers of Kubernetes alone: ROUNDS=500 CLAIMS=500 SEED=…
	@.ci/kubernetes-binaries
	@./mvnw -B -ntp -pl it/operator -am -Dtest='**/it/operator/*Test' \
		-Dsurefire.failIfNoSpecifiedTests=false $(if $(ROUNDS),-Drounds=$(ROUNDS)) \
		$(if $(CLAIMS),-Dclaims=$(CLAIMS)) $(if $(SEED),-Dit.seed=$(SEED)) verify

torture: install-test-tools ## faults at random moments, as root: TIME=20m, SEED=…, ARGS=… (it/torture/README.md)
	@./mvnw -B -ntp -q -DskipTests -pl it/torture -am package
	@it/torture/run.sh --time $(or $(TIME),20m) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench: build ## measure against nginx, cp, skopeo and qemu-img in one run; prints ratios
	@bench/run.sh

fuzz: ## fuzz what reads strangers' bytes; TIME=60 seconds a target, TARGET=Qcow2 only that one
	@./mvnw -B -ntp -q -Pfuzz -pl it/fuzz -am -DskipTests package
	@it/fuzz/run.sh $(or $(TIME),60) $(TARGET)

build: ## build the packaged services, without tests; nothing where nothing changed
	@.mvn/build.sh

images: ## container images as kubernetes/images/target/SERVICE.tar; REGISTRY=HOST/PREFIX pushes them
	@echo "Building the images; the first time Debian's packages are fetched, about 40 MB"
	@IMAGE_REGISTRY=$(REGISTRY) IMAGE_INSECURE=$(INSECURE) \
		./mvnw -B -ntp -q -DskipTests -Pimages -pl kubernetes/images -am package

run-%: build
	@service-parent/try.sh $*

docs: ## write the tables of docs/operations anew, from the code
	@./mvnw -B -ntp -q -pl it -am verify -Dtest=OperationsPagesTest -Ddocs.write=true \
		-Dsurefire.failIfNoSpecifiedTests=false

supply: ## make bills of materials (SERVICE/target/bom.json); write the tables of docs/supply-chain.md anew
	@./mvnw -B -ntp -q -Pimages,supply -pl it -am verify -Dtest=SupplyChainTest -Ddocs.write=true \
		-Dsurefire.failIfNoSpecifiedTests=false

reproducible: ## build twice, in different surroundings, and compare every byte
	@it/reproducible.sh

pictures: ## take the pictures of docs/pages.md anew, in Chromium
	@./mvnw -B -ntp -q -pl it/browser -am verify -Dtest=StatusPageTest,UploadPageTest,UploadRefusalsTest \
		-Dpictures=docs/pictures -Dsurefire.failIfNoSpecifiedTests=false

install-test-tools: ## install the Debian packages that the tests drive, where they are missing
	@.ci/install-test-tools

format: ## format the sources
	@./mvnw -B -ntp -q spotless:apply

clean: ## remove what was built
	@./mvnw -B -ntp -q clean
